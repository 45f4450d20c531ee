// What depends on this browser, before the first paint of a prerendered page.
try {
  // Without a choice, the system's theme applies.
  const theme = localStorage.getItem('farebox.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (localStorage.getItem('farebox.session') === null) document.documentElement.classList.add('signed-out')
} catch {
  // Storage is not available: nobody is signed in, and the system's theme applies.
  document.documentElement.classList.add('signed-out')
}
