import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideNames } from '../src/features/docs/guide-list.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole } from './kit/browser.ts'

const TEST_MS = 90_000
const SCRIPT_OF_REFERENCE = /\/docs\/reference\.js/

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole()
}, 240_000)
afterAll(() => fixture.stop())

/** Waits until the code has taken over from the prerendered page. */
const ready = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: 'Sign in', disabled: false }).waitFor()

test(
  'leads from the docs to a guide, along the links between guides, and back',
  async () => {
    const { page, faults } = await fixture.visit('/')
    const loaded: string[] = []
    page.on('request', request => loaded.push(request.url()))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Docs' }).click()
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Models/ })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Calling models' }).waitFor()
    expect(await page.title()).toBe('Calling models · Farebox')
    const current = page.getByRole('navigation', { name: 'Docs' }).getByRole('link', { name: 'Models' })
    expect(await current.getAttribute('aria-current')).toBe('page')

    await page.getByRole('article').getByRole('link', { name: 'fallback' }).first().click()
    await page.waitForURL('**/docs/compatible-apis#fallback')
    const heading = page.getByRole('heading', { name: 'Fallback', exact: true })
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(400)
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Calling models' }).waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Docs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Docs' }).waitFor()
    // All of it without a reload, and without the script of the reference.
    expect(loaded.filter(url => url.endsWith('/docs') || SCRIPT_OF_REFERENCE.test(url))).toEqual([])
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shows a guide without JavaScript, and one that was not loaded yet after the network is back',
  async () => {
    const { page: bare } = await fixture.visit('/docs/errors', { hasScripts: false })
    expect(await bare.getByRole('row').count()).toBeGreaterThan(40)
    const { page, context } = await fixture.visit('/docs/errors')
    await ready(page)
    await context.setOffline(true)
    await page.getByRole('navigation', { name: 'Docs' }).getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('This device is offline.').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  },
  TEST_MS,
)

test(
  'shows the interactive reference at its own page, also for links to its anchors at /docs',
  async () => {
    const { page } = await fixture.visit('/docs#tag/invocation')
    await page.waitForURL('**/docs/reference/interactive#tag/invocation')
    await page.getByRole('navigation', { name: 'Farebox' }).getByRole('link', { name: 'Docs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Docs' }).waitFor()
    await page.goto('/docs/no-such-guide')
    await page.getByText('Page not found').waitFor()
  },
  TEST_MS,
)

test(
  'has no accessibility issues in the docs, in both themes',
  async () => {
    const { page } = await fixture.visit('/docs')
    await ready(page)
    await expectAccessibleInBothThemes(page)
    await page.goto('/docs/models')
    await ready(page)
    await expectAccessibleInBothThemes(page)
    for (const name of ['webhooks', 'errors', 'proof', 'operations']) {
      await page.goto(`/docs/${name}`)
      await ready(page)
      await expectAccessible(page)
    }
  },
  TEST_MS,
)

test(
  'has no horizontal overflow in any guide at a width of 360',
  async () => {
    const { page } = await fixture.visit('/docs', { width: 360 })
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    const wide: string[] = []
    for (const path of ['', ...guideNames.map(name => `/${name}`)]) {
      await page.goto(`/docs${path}`)
      await ready(page)
      if (((await page.evaluate(overflow)) as number) > 0) wide.push(path)
    }
    expect(wide).toEqual([])
  },
  TEST_MS,
)
