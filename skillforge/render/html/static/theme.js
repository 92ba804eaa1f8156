// The chosen theme, before anything is drawn; then the button that changes it.
"use strict";
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch { /* No storage: the theme of the system. */ }

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Not remembered. */ }
      label();
    });
    system.addEventListener("change", label);
    label();
    button.hidden = false;
  });
}
