module toy(input clk, input rst, input a, input b, output y, output z, output [1:0] sum);
  reg [1:0] ring = 2'b01; // one-hot
  reg kept = 0;
  reg unread = 0;
  always @(posedge clk) begin
    if (a) ring <= {ring[0], ring[1]};
    kept <= a ^ b;
    unread <= unread ^ (b & ring[0] & ring[1]);
    if (rst) begin ring <= 2'b01; kept <= 0; unread <= 0; end
  end
  assign y = ring[0] & ring[1] | kept | unread;
  assign z = ring[1];
  assign sum = {1'b0, a} + {1'b0, b};
endmodule
