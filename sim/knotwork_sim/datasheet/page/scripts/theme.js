// The page's theme: as the system's, until its button is pressed.

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  dispatchEvent(new Event("themechange"));
}

function themeButton() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  return element("button", { type: "button", class: "theme", "aria-label": "Dark or light", title:
    "Dark or light", click: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light"
    : "dark") }, "◐");
}
