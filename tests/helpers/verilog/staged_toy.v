module toy(input clk, input rst, input put, input d, output v, output q);
  stage stage(.clk(clk), .rst(rst), .put(put), .d(d), .v(v), .q(q));
endmodule

module stage(input clk, input rst, input put, input d, output v, output q);
  reg full = 0;
  reg kept = 1;
  always @(posedge clk) begin
    full <= put;
    if (put) kept <= d;
    if (rst) begin full <= 0; kept <= 1; end
  end
  assign v = full;
  assign q = kept & full;
endmodule
