/** Longest wait, from submitting a form, for the errors of its fields, in ms. The gateway finds some of them. */
const ERRORS_WITHIN_MS = 15_000

/**
 * Moves the focus to the first invalid field whenever a form was submitted, or scrolls to its message when no field is
 * at fault. Returns the function that ends it.
 */
export function focusWrongFields(): () => void {
  let stop = () => {}
  const onSubmit = ({ target }: SubmitEvent) => {
    stop()
    if (target instanceof HTMLFormElement) stop = awaitErrors(target)
  }
  document.addEventListener('submit', onSubmit)
  return () => {
    stop()
    document.removeEventListener('submit', onSubmit)
  }
}

/** Waits for the first error of a form, until its user types again. Returns the function that ends it. */
function awaitErrors(form: HTMLFormElement): () => void {
  const ended = new AbortController()
  const { signal } = ended
  const look = () => {
    if (!signal.aborted && showFirstError(form)) ended.abort()
  }
  const observer = new MutationObserver(look)
  observer.observe(form, { subtree: true, childList: true, attributeFilter: ['aria-invalid', 'hidden'] })
  form.addEventListener('input', () => ended.abort(), { signal })
  const timer = setTimeout(() => ended.abort(), ERRORS_WITHIN_MS)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
  })
  // An error that was there before the form was submitted changes nothing in it.
  requestAnimationFrame(look)
  return () => ended.abort()
}

function showFirstError(form: HTMLFormElement): boolean {
  const first = (selector: string) =>
    [...form.querySelectorAll<HTMLElement>(selector)].find(element => element.checkVisibility())
  const field = first('[aria-invalid="true"]')
  const error = field ?? first('[role="alert"]')
  error?.scrollIntoView({ block: field === undefined ? 'nearest' : 'center' })
  field?.focus({ preventScroll: true })
  return error !== undefined
}
