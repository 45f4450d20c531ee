import type { Page } from 'playwright-core'

/** Controls that may load while others are passed. */
const LATE_MAX = 10
/** Presses that are sent without waiting for the one before: the page handles each, but draws fewer frames. */
const AT_ONCE = 20

/**
 * Presses Tab, and then Shift+Tab, until every control of the page or of its open dialog had the focus.
 *
 * @returns what keyboard users would stumble over: controls that are not reached, that are covered or show no focus
 *   while they have it, or that have it after one which is read later
 */
export async function tabThrough(page: Page): Promise<readonly string[]> {
  const forward = await pass(page)
  await page.keyboard.down('Shift')
  const backward = await pass(page)
  await page.keyboard.up('Shift')
  return [...new Set([...forward, ...backward])]
}

async function pass(page: Page): Promise<readonly string[]> {
  const count = await page.evaluate<number>(START)
  for (let presses = 0; presses < count + LATE_MAX; presses += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => page.keyboard.down('Tab')))
  await page.keyboard.up('Tab')
  return page.evaluate<readonly string[]>('farebox.issues()')
}

/** Notes at each Tab how the focused control looks. Returns how many controls there are. */
const START = `(() => {
  const root = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document
  const nameOf = element => element.tagName.toLowerCase() + ' "' +
    (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim() + '"'
  const isPartOfPage = element => element.tabIndex >= 0 && !element.disabled
    && element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert], [aria-hidden=true]') === null
    // The chosen one of them takes the focus.
    && element.role !== 'tablist' && (element.type !== 'radio' || element.checked)
  const controls = [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter(isPartOfPage)
  const isPinned = element => element !== null
    && (['fixed', 'sticky'].includes(getComputedStyle(element).position) || isPinned(element.parentElement))
  const within = (value, max) => Math.min(Math.max(value, 1), max - 1)
  const issueOf = (element, box) => {
    if (box.width < 1 || box.height < 1) return 'not visible'
    // A field with its unit shows it around both.
    const outlined = [element, element.closest('label')].some(each => each && getComputedStyle(each).outlineStyle !== 'none')
    if (!outlined) return 'shows no focus'
    const seen = document.elementFromPoint(within(box.left + box.width / 2, innerWidth), within(box.top + box.height / 2, innerHeight))
    if (seen === null) return 'outside of the window'
    return element.contains(seen) || seen.contains(element) ? null : 'covered by ' + nameOf(seen)
  }
  const issues = []
  const reached = new Set()
  let last = null
  const look = event => {
    const element = document.activeElement
    if (!controls.includes(element) || reached.has(element)) return
    if (reached.size === 0 && root === document && !event.shiftKey && element !== controls[0])
      issues.push(nameOf(element) + ' comes first')
    reached.add(element)
    for (const each of document.getAnimations()) each.finish()
    const box = element.getBoundingClientRect()
    const issue = issueOf(element, box)
    if (issue !== null) issues.push(nameOf(element) + ' is ' + issue)
    if (event.shiftKey || isPinned(element)) return
    if (last !== null && box.bottom + scrollY <= last.top) issues.push(nameOf(element) + ' comes after ' + last.name)
    last = { name: nameOf(element), top: box.top + scrollY }
  }
  addEventListener('keydown', look, true)
  globalThis.farebox = { issues() {
    removeEventListener('keydown', look, true)
    return [...issues, ...controls.filter(each => !reached.has(each)).map(each => nameOf(each) + ' is not reached')]
  } }
  return controls.length
})()`
