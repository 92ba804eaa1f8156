// The theme that was chosen the last time, before anything is drawn.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* No storage: what the system prefers. */ }
