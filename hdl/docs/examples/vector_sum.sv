// Sixteen nodes sum a vector by an `all_reduce` on the tree beside their network:
// knotwork generate mesh x=4 y=4 collectives=yes name=noc
`include "noc_collectives.vh"

module vector_sum #(parameter LENGTH = 64) (
  input clk, input rst, output [15:0] passed, output [15:0] failed
);
  wire [31:0] sent [0:15], received [0:15];
  wire [15:0] sent_valid, sent_ready, sent_last, received_valid, received_last;
  wire [4:0] received_user [0:15];

  genvar i;
  generate
    for (i = 0; i < 16; i = i + 1) begin : nodes
      summing_node #(.NODE(i), .LENGTH(LENGTH)) node (
        .clk(clk), .rst(rst), .passed(passed[i]), .failed(failed[i]),
        .sent_data(sent[i]), .sent_last(sent_last[i]), .sent_valid(sent_valid[i]),
        .sent_ready(sent_ready[i]), .received_data(received[i]),
        .received_last(received_last[i]), .received_valid(received_valid[i]),
        .received_fault(received_user[i][`NOC_COLLECTIVE_TUSER_FAULT_LOW])
      );
    end
  endgenerate

  // tuser is the kind above the bit that ends a part; of one operation there is no field. tdest is
  // read for a `reduce` and a `gather` alone. The nodes' ports to the network itself are not used.
  `define NODE(i) \
    .s_axis_``i``_tvalid(1'b0), .s_axis_``i``_tready(), .s_axis_``i``_tdata(32'd0), \
    .s_axis_``i``_tlast(1'b0), .s_axis_``i``_tdest(4'd0), .m_axis_``i``_tvalid(), \
    .m_axis_``i``_tready(1'b1), .m_axis_``i``_tdata(), .m_axis_``i``_tlast(), \
    .m_axis_``i``_tid(), .refused_``i``(), \
    .s_axis_collective_``i``_tvalid(sent_valid[i]), \
    .s_axis_collective_``i``_tready(sent_ready[i]), \
    .s_axis_collective_``i``_tdata(sent[i]), .s_axis_collective_``i``_tlast(sent_last[i]), \
    .s_axis_collective_``i``_tuser({`NOC_COLLECTIVE_KIND_ALL_REDUCE, 1'b0}), \
    .s_axis_collective_``i``_tdest(4'd0), \
    .m_axis_collective_``i``_tvalid(received_valid[i]), \
    .m_axis_collective_``i``_tready(1'b1), .m_axis_collective_``i``_tdata(received[i]), \
    .m_axis_collective_``i``_tlast(received_last[i]), \
    .m_axis_collective_``i``_tuser(received_user[i]), .m_axis_collective_``i``_tid(), \
    .collective_refused_``i``(), .collective_fault_``i``(), .collective_awaited_``i``()
  noc noc (
    .clk(clk), .rst(rst), `NODE(0), `NODE(1), `NODE(2), `NODE(3), `NODE(4), `NODE(5), `NODE(6),
    `NODE(7), `NODE(8), `NODE(9), `NODE(10), `NODE(11), `NODE(12), `NODE(13), `NODE(14), `NODE(15)
  );
endmodule

// Sends its vector, whose word j is (NODE + 1) * (j * j + 7), and checks the sum of all sixteen. It
// starts 3 * NODE cycles after the reset: the tree waits for the last.
module summing_node #(parameter NODE = 0, parameter LENGTH = 64) (
  input clk, input rst, output reg passed, output reg failed,
  output [31:0] sent_data, output sent_last, output sent_valid, input sent_ready,
  input [31:0] received_data, input received_last, input received_valid, input received_fault
);
  reg [31:0] place, awaited, pause;
  wire [31:0] sum = 136 * (awaited * awaited + 7);  // 136 is 1 + 2 + ... + 16
  assign sent_data = (NODE + 1) * (place * place + 7), sent_last = place == LENGTH - 1;
  assign sent_valid = pause == 3 * NODE && place < LENGTH;
  always @(posedge clk)
    if (rst) begin
      place <= 0;
      awaited <= 0;
      pause <= 0;
      passed <= 0;
      failed <= 0;
    end else begin
      if (pause < 3 * NODE) pause <= pause + 1;
      if (sent_valid && sent_ready) place <= place + 1;
      if (received_valid) begin
        awaited <= awaited + 1;
        if (received_data != sum || received_last != (awaited == LENGTH - 1)) failed <= 1;
        if (received_last && received_fault) failed <= 1;
        if (received_last) passed <= 1;
      end
    end
endmodule
