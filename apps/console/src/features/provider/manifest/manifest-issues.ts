import '@farebox/wire/without-eval'
import { GatewayError } from '@farebox/client/errors'
import { registerServiceBody } from '@farebox/wire/manifest'
import { isMetered, type Manifest, readAt, tidied } from './manifest.ts'

/** A validation issue; `path` is dotted. */
export type Issue = { readonly path: string; readonly message: string }

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

/** Maps the gateway's error to paths of the manifest; empty if it is about something else. */
export function issuesOf(error: unknown, manifest: Manifest): readonly Issue[] {
  if (!(error instanceof GatewayError)) return []
  const { issues, url } = error.detail
  if (Array.isArray(issues))
    return (issues as { path?: unknown; message?: unknown }[]).map(({ path, message }) => ({
      path: pathOf(path),
      message: String(message),
    }))
  if (error.code === 'DUPLICATE_SERVICE_ID')
    return [{ path: 'agentToolName', message: 'This name is taken. Choose another.' }]
  if (error.code === 'UNSAFE_TARGET_URL') return [{ path: targetOf(manifest, url), message: error.message }]
  return []
}

const pathOf = (path: unknown) =>
  String(Array.isArray(path) ? path.join('.') : (path ?? ''))
    .replaceAll('/', '.')
    .replace(/^\./, '')

/** Returns the path of the target that an error names, or of the first. */
function targetOf(manifest: Manifest, url: unknown): string {
  const targets = readAt(manifest, 'invoke.targets')
  const index = Array.isArray(targets) ? targets.findIndex(target => readAt(target, 'url') === url) : 0
  return `invoke.targets.${Math.max(0, index)}.url`
}
