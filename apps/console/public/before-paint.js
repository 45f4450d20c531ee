// What depends on this browser, before the first paint of a prerendered page.
try {
  const { classList, dataset } = document.documentElement
  // Without a choice, the system's theme applies.
  const theme = localStorage.getItem('farebox.theme')
  if (theme === 'light' || theme === 'dark') dataset.theme = theme
  if (localStorage.getItem('farebox.session') !== null) classList.add('signed-in')
} catch {
  // Storage is not available: the system's theme applies, and nobody is signed in.
}
