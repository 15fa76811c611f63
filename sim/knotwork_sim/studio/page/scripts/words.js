// Fields of keys, and the words that they stand for on a command line.

/** Field of one key: a label, what it may be, and its rule. */
class KeyField {
  constructor(declared, value, changed) {
    this.declared = declared;
    const { key } = declared;
    const id = `key-${key}`;
    const rule = element("span", { class: "rule", id: `${id}-rule` }, ruleOf(declared));
    this.input = this.#input(id, value ?? "", changed);
    this.element = element("div", { class: "field" }, element("label", { for: id }, key), this.input, rule);
  }

  #input(id, value, changed) {
    const { key, words, low, required } = this.declared;
    const shared = { id, name: key, "aria-describedby": `${id}-rule`, input: changed };
    if (words.length && !/several|separated by commas/.test(this.declared.rule)) {
      const unset = required ? [] : [element("option", { value: "" }, defaultOf(this.declared))];
      const select = element("select", shared, unset,
        words.filter((word) => word !== this.declared.default).map((word) => (
          element("option", { value: word }, word))));
      select.value = words.includes(value) && value !== this.declared.default ? value : "";
      return select;
    }
    const whole = low !== null;
    return element("input", { ...shared, type: whole ? "number" : "text", value, step: whole ? 1 : null,
      min: low, max: this.declared.high, placeholder: required ? "" : defaultOf(this.declared),
      autocomplete: "off", spellcheck: "false" });
  }

  get key() { return this.declared.key; }

  get value() { return this.input.value.trim(); }

  /** Word of the command line; none for a key that is left as it is. */
  get words() { return this.value === "" ? [] : [`${this.key}=${this.value}`]; }

  /** Mark the field that a line refuses. */
  mark(line) {
    const names = new RegExp(`(^|[ :])${this.key}( |=|$)`);
    this.input.setAttribute("aria-invalid", line !== null && names.test(line.replace(/^\S+: /, "")));
  }
}

function defaultOf({ default: value }) {
  return value === null ? "by itself" : String(value);
}

function ruleOf({ help, low, high, words, rule }) {
  if (low !== null) return `${help}: ${low}..${high}`;
  return words.length ? help : `${help}: ${rule}`;
}

/** Words of a line, parted at blanks. */
function wordsOf(line) {
  return line.split(/\s+/).filter((word) => word !== "");
}
