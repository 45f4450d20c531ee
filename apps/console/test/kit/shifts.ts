import type { Page } from 'playwright-core'

/** Maximum Cumulative Layout Shift of a page; up to 0.1 counts as good. */
export const SHIFT_MAX = 0.02

/** Watches the pages that are loaded from now on, with the Layout Instability API. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`globalThis.shifted = 0
    new PerformanceObserver(list => {
      for (const { value } of list.getEntries()) globalThis.shifted += value
    }).observe({ type: 'layout-shift', buffered: true })`)
}

/** Returns the sum of the layout shifts of a watched page since it was loaded. */
export const shiftedOf = (page: Page): Promise<number> => page.evaluate<number>('shifted')
