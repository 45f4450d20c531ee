import '@farebox/wire/without-eval'
import { registerServiceBody } from '@farebox/wire/manifest'
import { isMetered, type Manifest, readAt, tidied } from './manifest.ts'
import type { Issue } from './manifest-issues.ts'

const plain: Readonly<Record<string, string>> = {
  serviceName: 'Enter a name.',
  'invoke.targets': 'Enter at least one target.',
}
const PRICE_MISSING = 'Enter a price, or 0 to make it free.'

/** Validates a draft with the gateway's own schema. */
export function findIssues(manifest: Manifest): readonly Issue[] {
  const read = registerServiceBody.safeParse(tidied(manifest))
  const issues = (read.error?.issues ?? []).map(({ path, message }) => {
    const at = path.join('.')
    return { path: at, message: isMissing(manifest, at) ? (plain[at] ?? describeMissing(at)) : message }
  })
  return [...issues, ...priceIssues(manifest).filter(({ path }) => !issues.some(each => each.path === path))]
}

function priceIssues(manifest: Manifest): Issue[] {
  const paths = isMetered(manifest)
    ? ['inputPricePer1MTokensUsdc', 'outputPricePer1MTokensUsdc']
    : ['pricing.amount']
  return paths
    .filter(path => isMissing(manifest, path) && isMissing(manifest, `pricing.${path}`))
    .map(path => ({ path, message: PRICE_MISSING }))
}

function isMissing(manifest: Manifest, path: string): boolean {
  const value = readAt(manifest, path)
  return value === undefined || value === null || value === ''
}

function describeMissing(path: string): string {
  if (/^invoke\.targets\.\d+\.url$/.test(path)) return 'Enter the URL of your API.'
  return /price|amount/i.test(path) ? PRICE_MISSING : 'Required.'
}
