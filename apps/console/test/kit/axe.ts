import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

type Violation = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe that read colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** A busy machine may draw no frame for so long, in ms. */
const FRAME_MAX_MS = 1_000
/** Until a page has stopped moving after a change of its theme, in ms. */
const STILL_MAX_MS = 15_000

/** Fails with the findings of axe: WCAG 2.2 A and AA, and best practices. Waits for the page's heading first. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page, {})).toEqual([])
}

/**
 * Runs {@link expectAccessible} in the light theme, and the rules that read colours in the dark one too: the themes
 * differ in nothing else. Leaves the page light.
 */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  await changeTheme(page, 'dark')
  expect(await violationsOf(page, { runOnly: COLOUR_RULES })).toEqual([])
  await changeTheme(page, 'light')
  await expectAccessible(page)
}

async function violationsOf(
  page: Page,
  options: { runOnly?: readonly string[] },
): Promise<readonly object[]> {
  await page.locator('main h1').first().waitFor()
  // Playwright evaluates it over the debugger, which the content security policy does not restrict. Once per document:
  // to compile it takes as long as a run.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(await source)
  const run = { ...options, resultTypes: ['violations'] }
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(run)}).then(({ violations }) => violations)`,
  )) as Violation[]
  return violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
  }))
}

async function changeTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  // Colours change by transitions, however short, and inherited colours follow a frame later.
  const running = await page.evaluate(`(async () => {
    const frame = () => new Promise(done => {
      requestAnimationFrame(done)
      setTimeout(done, ${FRAME_MAX_MS})
    })
    const names = () => document.getAnimations().map(each => each.animationName ?? each.transitionProperty)
    const deadline = Date.now() + ${STILL_MAX_MS}
    for (let still = 0; still < 3 && Date.now() < deadline; still += names().length === 0 ? 1 : 0) await frame()
    return names()
  })()`)
  expect(running).toEqual([])
}
