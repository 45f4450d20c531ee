// Applies the chosen theme before the first paint. Without a choice, the system's theme applies.
try {
  const theme = localStorage.getItem('farebox.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is not available: use the system's theme.
}
