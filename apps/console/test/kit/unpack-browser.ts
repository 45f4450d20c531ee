import chromium from '@sparticuz/chromium'

/**
 * Unpacks the browser before the first test. Otherwise a worker could start a file that another one is still writing.
 */
export async function setup(): Promise<void> {
  await chromium.executablePath()
}
