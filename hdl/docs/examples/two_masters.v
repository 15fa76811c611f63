// Two managers write and read two memories over the network that `two_masters.toml` makes.
module two_masters (
  input clk, input rst,              // the network's, and those of one manager and one memory
  input clk_fast, input rst_fast,    // of the other two
  output [1:0] passed, output [1:0] failed
);
  wire [31:0] awaddr [0:3], araddr [0:3], wdata [0:3], rdata [0:3];
  wire [7:0] awlen [0:3], arlen [0:3];
  wire [3:0] wstrb [0:3];
  wire [1:0] bresp [0:3], rresp [0:3];
  wire [3:0] awid, arid, bid, rid, awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  wire [3:0] arvalid, arready, rvalid, rready, rlast;

  manager #(.BASE(32'h00001000)) first (
    .clk(clk), .rst(rst), .passed(passed[0]), .failed(failed[0]),
    .awaddr(awaddr[0]), .awlen(awlen[0]), .awvalid(awvalid[0]), .awready(awready[0]),
    .wdata(wdata[0]), .wlast(wlast[0]), .wvalid(wvalid[0]), .wready(wready[0]),
    .bresp(bresp[0]), .bvalid(bvalid[0]), .bready(bready[0]),
    .araddr(araddr[0]), .arlen(arlen[0]), .arvalid(arvalid[0]), .arready(arready[0]),
    .rdata(rdata[0]), .rresp(rresp[0]), .rlast(rlast[0]), .rvalid(rvalid[0]), .rready(rready[0])
  );
  manager #(.BASE(32'h80002000)) second (
    .clk(clk_fast), .rst(rst_fast), .passed(passed[1]), .failed(failed[1]),
    .awaddr(awaddr[1]), .awlen(awlen[1]), .awvalid(awvalid[1]), .awready(awready[1]),
    .wdata(wdata[1]), .wlast(wlast[1]), .wvalid(wvalid[1]), .wready(wready[1]),
    .bresp(bresp[1]), .bvalid(bvalid[1]), .bready(bready[1]),
    .araddr(araddr[1]), .arlen(arlen[1]), .arvalid(arvalid[1]), .arready(arready[1]),
    .rdata(rdata[1]), .rresp(rresp[1]), .rlast(rlast[1]), .rvalid(rvalid[1]), .rready(rready[1])
  );
  memory low (
    .clk(clk), .rst(rst),
    .awid(awid[2]), .awaddr(awaddr[2]), .awvalid(awvalid[2]), .awready(awready[2]),
    .wdata(wdata[2]), .wstrb(wstrb[2]), .wlast(wlast[2]), .wvalid(wvalid[2]), .wready(wready[2]),
    .bid(bid[2]), .bresp(bresp[2]), .bvalid(bvalid[2]), .bready(bready[2]),
    .arid(arid[2]), .araddr(araddr[2]), .arlen(arlen[2]), .arvalid(arvalid[2]),
    .arready(arready[2]), .rid(rid[2]), .rdata(rdata[2]), .rresp(rresp[2]), .rlast(rlast[2]),
    .rvalid(rvalid[2]), .rready(rready[2])
  );
  memory high (
    .clk(clk_fast), .rst(rst_fast),
    .awid(awid[3]), .awaddr(awaddr[3]), .awvalid(awvalid[3]), .awready(awready[3]),
    .wdata(wdata[3]), .wstrb(wstrb[3]), .wlast(wlast[3]), .wvalid(wvalid[3]), .wready(wready[3]),
    .bid(bid[3]), .bresp(bresp[3]), .bvalid(bvalid[3]), .bready(bready[3]),
    .arid(arid[3]), .araddr(araddr[3]), .arlen(arlen[3]), .arvalid(arvalid[3]),
    .arready(arready[3]), .rid(rid[3]), .rdata(rdata[3]), .rresp(rresp[3]), .rlast(rlast[3]),
    .rvalid(rvalid[3]), .rready(rready[3])
  );
  bus_mesh network (
    .clk(clk), .rst(rst), .clk_22(clk_fast), .rst_22(rst_fast), .clk_29(clk_fast),
    .rst_29(rst_fast),
    // Managers.
    .s_axi_0_awid(1'b0), .s_axi_0_awaddr(awaddr[0]), .s_axi_0_awlen(awlen[0]),
    .s_axi_0_awsize(3'd2), .s_axi_0_awburst(2'd1), .s_axi_0_awlock(1'b0), .s_axi_0_awcache(4'd0),
    .s_axi_0_awprot(3'd0), .s_axi_0_awqos(4'd0), .s_axi_0_awvalid(awvalid[0]),
    .s_axi_0_awready(awready[0]), .s_axi_0_wdata(wdata[0]), .s_axi_0_wstrb(4'hF),
    .s_axi_0_wlast(wlast[0]), .s_axi_0_wvalid(wvalid[0]), .s_axi_0_wready(wready[0]),
    .s_axi_0_bid(), .s_axi_0_bresp(bresp[0]), .s_axi_0_bvalid(bvalid[0]),
    .s_axi_0_bready(bready[0]), .s_axi_0_arid(1'b0), .s_axi_0_araddr(araddr[0]),
    .s_axi_0_arlen(arlen[0]), .s_axi_0_arsize(3'd2), .s_axi_0_arburst(2'd1),
    .s_axi_0_arlock(1'b0), .s_axi_0_arcache(4'd0), .s_axi_0_arprot(3'd0), .s_axi_0_arqos(4'd0),
    .s_axi_0_arvalid(arvalid[0]), .s_axi_0_arready(arready[0]), .s_axi_0_rid(),
    .s_axi_0_rdata(rdata[0]), .s_axi_0_rresp(rresp[0]), .s_axi_0_rlast(rlast[0]),
    .s_axi_0_rvalid(rvalid[0]), .s_axi_0_rready(rready[0]),
    .s_axi_29_awid(1'b0), .s_axi_29_awaddr(awaddr[1]), .s_axi_29_awlen(awlen[1]),
    .s_axi_29_awsize(3'd2), .s_axi_29_awburst(2'd1), .s_axi_29_awlock(1'b0),
    .s_axi_29_awcache(4'd0), .s_axi_29_awprot(3'd0), .s_axi_29_awqos(4'd0),
    .s_axi_29_awvalid(awvalid[1]), .s_axi_29_awready(awready[1]), .s_axi_29_wdata(wdata[1]),
    .s_axi_29_wstrb(4'hF), .s_axi_29_wlast(wlast[1]), .s_axi_29_wvalid(wvalid[1]),
    .s_axi_29_wready(wready[1]), .s_axi_29_bid(), .s_axi_29_bresp(bresp[1]),
    .s_axi_29_bvalid(bvalid[1]), .s_axi_29_bready(bready[1]), .s_axi_29_arid(1'b0),
    .s_axi_29_araddr(araddr[1]), .s_axi_29_arlen(arlen[1]), .s_axi_29_arsize(3'd2),
    .s_axi_29_arburst(2'd1), .s_axi_29_arlock(1'b0), .s_axi_29_arcache(4'd0),
    .s_axi_29_arprot(3'd0), .s_axi_29_arqos(4'd0), .s_axi_29_arvalid(arvalid[1]),
    .s_axi_29_arready(arready[1]), .s_axi_29_rid(), .s_axi_29_rdata(rdata[1]),
    .s_axi_29_rresp(rresp[1]), .s_axi_29_rlast(rlast[1]), .s_axi_29_rvalid(rvalid[1]),
    .s_axi_29_rready(rready[1]),
    // Memories.
    .m_axi_7_awid(awid[2]), .m_axi_7_awaddr(awaddr[2]), .m_axi_7_awlen(awlen[2]),
    .m_axi_7_awvalid(awvalid[2]), .m_axi_7_awready(awready[2]), .m_axi_7_wdata(wdata[2]),
    .m_axi_7_wstrb(wstrb[2]), .m_axi_7_wlast(wlast[2]), .m_axi_7_wvalid(wvalid[2]),
    .m_axi_7_wready(wready[2]), .m_axi_7_bid(bid[2]), .m_axi_7_bresp(bresp[2]),
    .m_axi_7_bvalid(bvalid[2]), .m_axi_7_bready(bready[2]), .m_axi_7_arid(arid[2]),
    .m_axi_7_araddr(araddr[2]), .m_axi_7_arlen(arlen[2]), .m_axi_7_arvalid(arvalid[2]),
    .m_axi_7_arready(arready[2]), .m_axi_7_rid(rid[2]), .m_axi_7_rdata(rdata[2]),
    .m_axi_7_rresp(rresp[2]), .m_axi_7_rlast(rlast[2]), .m_axi_7_rvalid(rvalid[2]),
    .m_axi_7_rready(rready[2]),
    .m_axi_22_awid(awid[3]), .m_axi_22_awaddr(awaddr[3]), .m_axi_22_awlen(awlen[3]),
    .m_axi_22_awvalid(awvalid[3]), .m_axi_22_awready(awready[3]), .m_axi_22_wdata(wdata[3]),
    .m_axi_22_wstrb(wstrb[3]), .m_axi_22_wlast(wlast[3]), .m_axi_22_wvalid(wvalid[3]),
    .m_axi_22_wready(wready[3]), .m_axi_22_bid(bid[3]), .m_axi_22_bresp(bresp[3]),
    .m_axi_22_bvalid(bvalid[3]), .m_axi_22_bready(bready[3]), .m_axi_22_arid(arid[3]),
    .m_axi_22_araddr(araddr[3]), .m_axi_22_arlen(arlen[3]), .m_axi_22_arvalid(arvalid[3]),
    .m_axi_22_arready(arready[3]), .m_axi_22_rid(rid[3]), .m_axi_22_rdata(rdata[3]),
    .m_axi_22_rresp(rresp[3]), .m_axi_22_rlast(rlast[3]), .m_axi_22_rvalid(rvalid[3]),
    .m_axi_22_rready(rready[3])
  );
endmodule

// Writes a burst of eight words, reads it, then reads an address that no memory has.
module manager #(parameter [31:0] BASE = 0) (
  input clk, input rst, output reg passed, output reg failed,
  output [31:0] awaddr, output [7:0] awlen, output awvalid, input awready,
  output [31:0] wdata, output wlast, output wvalid, input wready,
  input [1:0] bresp, input bvalid, output bready,
  output [31:0] araddr, output [7:0] arlen, output arvalid, input arready,
  input [31:0] rdata, input [1:0] rresp, input rlast, input rvalid, output rready
);
  localparam ADDRESS = 0, DATA = 1, ANSWER = 2, ASK = 3, READ = 4, ASTRAY = 5, REFUSED = 6, DONE = 7;
  reg [2:0] state;
  reg [2:0] word;
  assign awaddr = BASE, awlen = 7, awvalid = state == ADDRESS;
  assign wdata = BASE + {word, 5'd0}, wlast = word == 7, wvalid = state == DATA;
  assign bready = state == ANSWER;
  assign araddr = state == ASK ? BASE : 32'h40000000, arlen = state == ASK ? 7 : 0;
  assign arvalid = state == ASK || state == ASTRAY;
  assign rready = state == READ || state == REFUSED;
  always @(posedge clk)
    if (rst) begin
      state <= ADDRESS;
      word <= 0;
      passed <= 0;
      failed <= 0;
    end else begin
      if (wvalid && wready || rvalid && rready) word <= word + 1;
      case (state)
        ADDRESS: if (awready) state <= DATA;
        DATA: if (wready && wlast) state <= ANSWER;
        ANSWER: if (bvalid) begin
          failed <= bresp != 0;
          state <= ASK;
        end
        ASK: if (arready) state <= READ;
        READ: if (rvalid) begin
          failed <= failed || rresp != 0 || rdata != BASE + {word, 5'd0} || rlast != (word == 7);
          if (rlast) state <= ASTRAY;
        end
        ASTRAY: if (arready) state <= REFUSED;
        REFUSED: if (rvalid) begin
          failed <= failed || rresp != 3;  // a decode error
          passed <= !failed && rresp == 3;
          state <= DONE;
        end
        DONE: ;
      endcase
    end
endmodule

// Memory of 16 KiB that takes one burst of each kind at a time.
module memory (
  input clk, input rst,
  input awid, input [31:0] awaddr, input awvalid, output awready,
  input [31:0] wdata, input [3:0] wstrb, input wlast, input wvalid, output wready,
  output reg bid, output [1:0] bresp, output reg bvalid, input bready,
  input arid, input [31:0] araddr, input [7:0] arlen, input arvalid, output arready,
  output reg rid, output [31:0] rdata, output [1:0] rresp, output rlast, output reg rvalid,
  input rready
);
  reg [31:0] words [0:4095];
  reg [11:0] to, from;
  reg [7:0] left;
  reg writes;
  integer lane;
  assign awready = !writes && !bvalid, wready = writes, bresp = 0;
  assign arready = !rvalid, rdata = words[from], rresp = 0, rlast = left == 0;
  always @(posedge clk)
    if (rst) begin
      writes <= 0;
      bvalid <= 0;
      rvalid <= 0;
    end else begin
      if (awvalid && awready) begin
        writes <= 1;
        to <= awaddr[13:2];
        bid <= awid;
      end
      if (wvalid && wready) begin
        for (lane = 0; lane < 4; lane = lane + 1)
          if (wstrb[lane]) words[to][8*lane +: 8] <= wdata[8*lane +: 8];
        to <= to + 1;
        writes <= !wlast;
        bvalid <= wlast;
      end
      if (bvalid && bready) bvalid <= 0;
      if (arvalid && arready) begin
        rvalid <= 1;
        from <= araddr[13:2];
        left <= arlen;
        rid <= arid;
      end else if (rvalid && rready) begin
        from <= from + 1;
        left <= left - 1;
        rvalid <= !rlast;
      end
    end
endmodule
