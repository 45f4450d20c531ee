import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideNames } from '../src/features/docs/guide-list.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, placesOf, ready } from './kit/browser.ts'

const TEST_MS = 90_000
const SCRIPT_OF_REFERENCE = /\/docs\/reference\.js/
const CODE_OF_WEBHOOKS = /\/assets\/webhooks-/
const CODE_OF_MODELS = /\/assets\/models-/

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole()
}, 240_000)
afterAll(() => fixture.stop())

test(
  'links from the docs to a guide, between guides, and back',
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
  'leads newcomers to a first call, and shows its code',
  async () => {
    const { page, faults } = await fixture.visit('/docs')
    const start = page.getByRole('region', { name: 'Start here' })
    const code = start.getByRole('figure', { name: 'A first call' })
    await code.getByRole('button', { name: 'MCP', exact: true }).click()
    await expect.poll(() => code.textContent()).toContain(`${fixture.on.url}/mcp`)
    const steps = start.getByRole('listitem').getByRole('link')
    const leadsTo = (await steps.all()).map(step => step.getAttribute('href'))
    expect(await Promise.all(leadsTo)).toEqual(['/app', '/market', '/playground'])
    await expectAccessibleInBothThemes(page)
    await start.getByRole('link', { name: 'Choose a service' }).click()
    await page.getByRole('heading', { level: 1, name: 'Market' }).waitFor()
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'shows a guide without JavaScript, and one not loaded yet once the network is back',
  async () => {
    const { page: bare } = await fixture.visit('/docs/errors', { hasScripts: false })
    expect(await bare.getByRole('row').count()).toBeGreaterThan(40)
    const { page, context } = await fixture.visit('/docs/errors')
    await context.setOffline(true)
    await page.getByRole('navigation', { name: 'Docs' }).getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('This device is offline.').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  },
  TEST_MS,
)

test(
  'reloads the window when the code of a guide fails to load, but not again at once',
  async () => {
    const { page } = await fixture.visit('/docs/errors')
    const open = (name: string) =>
      page.getByRole('navigation', { name: 'Docs' }).getByRole('link', { name }).click()
    await page.route(CODE_OF_WEBHOOKS, route => route.abort(), { times: 1 })
    await open('Webhooks')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await ready(page)
    await page.route(CODE_OF_MODELS, route => route.abort())
    await open('Models')
    await page.getByRole('heading', { name: 'This page did not load' }).waitFor()
    await page.unroute(CODE_OF_MODELS)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Calling models' }).waitFor()
  },
  TEST_MS,
)

test(
  'shows the interactive reference on its own page, also for links to its anchors at /docs',
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
  'searches guides and operations by the keyboard, loading their text at the first use only, from the gateway alone',
  async () => {
    const { page, faults } = await fixture.visit('/docs/webhooks')
    const places = placesOf(page)
    const loaded: string[] = []
    page.on('request', request => loaded.push(new URL(request.url()).pathname))
    const guidesLoaded = () =>
      guideNames.filter(name => loaded.some(path => path.startsWith(`/assets/${name}-`)))
    const field = page.getByRole('combobox', { name: 'Search the docs' })
    const chosen = (name: string | RegExp) => page.getByRole('option', { name, selected: true })
    expect(guidesLoaded()).toEqual([])
    await page.keyboard.press('/')
    await expect
      .poll(() => field.evaluate('document.activeElement === document.querySelector("main [type=search]")'))
      .toBe(true)
    await expect.poll(guidesLoaded).toHaveLength(guideNames.length - 1)

    // An operation by its method and path, and by its summary.
    await field.fill('post /agent/invoke')
    await page
      .getByRole('group', { name: 'API reference' })
      .getByRole('option', { name: /^POST \/api\/v1\/agent\/invoke/ })
      .waitFor()
    await field.fill('approve a withdrawal')
    await page.getByRole('group', { name: 'API reference' }).getByRole('option').first().waitFor()
    // A word of a text, with what is around it.
    await field.fill('INSUFFICIENT_BALANCE')
    await page.getByRole('group', { name: 'Error codes' }).getByText('INSUFFICIENT_BALANCE').first().waitFor()
    await field.fill('nothing-has-this')
    await page.getByText('No result for “nothing-has-this”').waitFor()
    // A word of a heading comes first; arrows wrap around.
    await field.fill('fallback')
    await chosen(/^Fallback/).waitFor()
    const count = await page.getByRole('option').count()
    await field.press('ArrowUp')
    expect(
      await page
        .getByRole('option')
        .nth(count - 1)
        .getAttribute('aria-selected'),
    ).toBe('true')
    await expectAccessibleInBothThemes(page)
    await field.press('ArrowDown')
    await chosen(/^Fallback/).waitFor()
    await field.press('Enter')
    await page.waitForURL('**/docs/compatible-apis#fallback')
    const heading = page.getByRole('heading', { name: 'Fallback', exact: true })
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(400)

    // The command palette leads there with what was typed; at 360 the results fit.
    await page.setViewportSize({ width: 360, height: 740 })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('breaker')
    await page.getByRole('option', { name: 'Search the docs for “breaker”' }).click()
    await page.getByRole('listbox', { name: 'Results' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await expectAccessible(page)
    await field.press('Escape')
    await page.getByRole('listbox', { name: 'Results' }).waitFor({ state: 'detached' })
    expect([...places]).toEqual([fixture.on.url])
    expect(faults).toEqual([])
  },
  TEST_MS,
)

test(
  'has no accessibility issues in the docs, in both themes',
  async () => {
    const { page } = await fixture.visit('/docs')
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

test(
  'has screen readers say each time that a text was copied',
  async () => {
    const { page } = await fixture.visit('/docs/models')
    const copy = page.getByRole('button', { name: /^Cop(y|ied)/ }).first()
    const announced = page.locator('[aria-live="polite"]').filter({ hasText: /^Copied$/ })
    for (const _ of ['once', 'again']) {
      await copy.click()
      await announced.waitFor({ state: 'attached' })
      await announced.waitFor({ state: 'detached' })
    }
  },
  TEST_MS,
)
