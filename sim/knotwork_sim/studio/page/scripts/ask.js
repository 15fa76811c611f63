// Requests to the studio's server, with the token that its address has.

const TOKEN = location.hash.slice(1);

/** Answer of the server, or the line with which it refuses: `{answer}` or `{refused}`. */
async function ask(path, request, method = "POST") {
  const headers = { "X-Knotwork-Token": TOKEN };
  if (request) headers["Content-Type"] = "application/json";
  try {
    const response = await fetch(`/api/${path}`, { method, headers, body: request && JSON.stringify(request) });
    return await response.json();
  } catch {
    return { refused: "studio: the command has ended; run knotwork studio again" };
  }
}

/** Work on the last request only: one is under way, and of those that wait all but the last are left out. */
class Latest {
  /** `work(request, isLast)` is awaited; `isLast()` says whether no newer request has come. */
  constructor(work) {
    this.work = work;
    this.next = null;
    this.isBusy = false;
  }

  async ask(request) {
    this.next = request;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.next !== null) {
      const asked = this.next;
      this.next = null;
      await this.work(asked, () => this.next === null);
    }
    this.isBusy = false;
  }
}

/** Call that is made when it has not been asked for again in so many milliseconds. */
function calm(call, pause) {
  let timer = null;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, pause);
  };
}
