import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

type Violation = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Fails with the findings of axe: WCAG 2.2 A and AA, and best practices. Waits for the page's heading first. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  // Playwright evaluates it over the debugger, which the content security policy does not restrict.
  await page.evaluate(await source)
  const violations = (await page.evaluate(
    'axe.run(document).then(({ violations }) => violations)',
  )) as Violation[]
  const reported = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
  }))
  expect(reported).toEqual([])
}

/** Runs {@link expectAccessible} in both themes; leaves the page light. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    // Colours change by transitions, however short, and inherited colours follow a frame later.
    await page.evaluate(`(async () => {
      const frame = () => new Promise(done => requestAnimationFrame(done))
      for (let still = 0; still < 3; still += document.getAnimations().length === 0 ? 1 : 0) await frame()
    })()`)
    await expectAccessible(page)
  }
}
