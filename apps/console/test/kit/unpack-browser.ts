import chromium from '@sparticuz/chromium'

/**
 * Unpacks the browser before the first test: its package takes a file that another worker is still writing for the whole
 * browser.
 */
export async function setup(): Promise<void> {
  await chromium.executablePath()
}
