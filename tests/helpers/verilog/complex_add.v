// Sum of two complex numbers, imaginary part above the real one, a cycle later.
module complex_adder #(
  parameter HALF = 8
) (
  input clk,
  input rst,
  input ce,
  input given,
  input [2*HALF-1:0] a,
  input [2*HALF-1:0] b,
  output reg [2*HALF-1:0] y
);
  always @(posedge clk)
    if (rst) y <= 0;
    else if (ce) begin
      if (given) y <= {a[2*HALF-1:HALF] + b[2*HALF-1:HALF], a[HALF-1:0] + b[HALF-1:0]};
    end
endmodule
