// Before anything is painted: the theme that was chosen, unless it is the system's.
try {
  const theme = localStorage.getItem('farebox.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is closed to us: the system's theme it is.
}
