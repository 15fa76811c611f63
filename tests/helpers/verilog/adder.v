module adder (
  input clk,
  input rst,
  input [1:0] address,
  input [3:0] a,
  input b,
  output reg [3:0] sum = 4'd0
);
  wire [3:0] inner;
  always @(posedge clk) sum <= a + b + address;
endmodule
module other (
  input x
);
endmodule
