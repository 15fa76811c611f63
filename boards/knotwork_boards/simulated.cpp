// The self-test's Verilog, with the pins of its UART at a terminal.
//
//   board TERMINAL DIVISOR
//
// TERMINAL is the number of an open file, the master of a pseudo-terminal; DIVISOR the clock cycles
// of a bit. Time stands still while nobody reads what the board sends. The program ends when its
// standard input does, so it never outlives who started it.

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <poll.h>
#include <unistd.h>

#include "Vselftest.h"
#include "verilated.h"

namespace {

const int STDIN = 0;

bool parent_is_there(int milliseconds) {
    pollfd in = {STDIN, POLLIN, 0};
    return poll(&in, 1, milliseconds) <= 0;  // nothing is ever written to it
}

// Send a byte, however long that takes.
void send_byte(int terminal, uint8_t byte) {
    while (write(terminal, &byte, 1) != 1) {
        if (!parent_is_there(20)) exit(0);
    }
}

// What the board sends: a start bit, eight bits of data, a stop bit.
class Receiver {
  public:
    Receiver(int terminal, int divisor) : terminal(terminal), divisor(divisor) {}

    void step(bool line) {
        if (place < 0) {
            if (line) return;
            place = 0;
            left = divisor + divisor / 2;
        }
        if (--left > 0) return;
        left = divisor;
        if (place < 8) {
            byte = (byte >> 1) | (line ? 0x80 : 0);
            place++;
            return;
        }
        if (line) send_byte(terminal, byte);
        place = -1;
    }

  private:
    int terminal, divisor;
    int place = -1, left = 0;
    uint8_t byte = 0;
};

// What the board is sent.
class Sender {
  public:
    Sender(int terminal, int divisor) : terminal(terminal), divisor(divisor) {}

    bool step() {
        if (--left > 0) return bits & 1;
        left = divisor;
        bits = bits >> 1 | 0x200;
        if (++place < 10) return bits & 1;
        uint8_t byte;
        if (read(terminal, &byte, 1) == 1) {
            bits = 0x200 | byte << 1;  // what is shifted in behind it is idle
            place = 0;
        }
        return bits & 1;
    }

  private:
    int terminal, divisor;
    int place = 10, left = 1;
    uint32_t bits = 0x3ff;
};

}  // namespace

int main(int count, char** words) {
    if (count > 1 && !strcmp(words[1], "--help")) return 0;
    if (count != 3) return 2;
    const int terminal = atoi(words[1]), divisor = atoi(words[2]);
    VerilatedContext context;
    auto top = std::make_unique<Vselftest>(&context);
    Receiver receiver(terminal, divisor);
    Sender sender(terminal, divisor);
    for (uint64_t cycle = 0;; cycle++) {
        top->rst = cycle < 4;
        top->clk = 0;
        top->eval();
        top->clk = 1;
        top->eval();
        receiver.step(top->tx);
        const bool line = sender.step();
#ifdef KNOTWORK_TAKES_COMMANDS
        top->rx = line;
#else
        (void)line;
#endif
        if ((cycle & 0xffff) == 0 && !parent_is_there(0)) return 0;
    }
}
