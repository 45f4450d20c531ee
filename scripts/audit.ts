import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'

// Asks the registry for known vulnerabilities of what the gateway runs on: `npm run audit`.

/** Advisories that do not concern us, each with the reason: `GHSA-...`. */
const ALLOWED: Readonly<Record<string, string>> = {
  'GHSA-ffrw-9mx8-89p8':
    'fast-redact, of the logger of @walletconnect: logs of Node only, and pages are not Node; its maker calls it no weakness',
}
const FETCH_TIMEOUT_MS = 15_000
const REPORT_BYTES_MAX = 16 * 1_048_576

type Advisory = { readonly url?: string; readonly title?: string; readonly severity?: string }
/** What npm says; without `vulnerabilities` where the registry could not be asked, or answers no such questions. */
export type AuditReport = {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (Advisory | string)[] }>>
  readonly message?: string
}

/** What is to be told of a report, and whether it is well. A registry that cannot say is no reason to fail. */
export function judge(
  { vulnerabilities, message }: AuditReport,
  allowed: Readonly<Record<string, string>> = ALLOWED,
): { isWell: boolean; lines: string[] } {
  if (vulnerabilities === undefined) {
    const why = message === undefined ? '' : ` (${message})`
    return { isWell: true, lines: [`Not audited: the registry at hand does not answer audits${why}.`] }
  }
  const found = Object.entries(vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap(advisory => (typeof advisory === 'string' ? [] : [{ name, ...advisory }])),
  )
  const bad = found.filter(({ url = '' }) => !((url.split('/').at(-1) ?? '') in allowed))
  if (bad.length === 0) return { isWell: true, lines: ['No known vulnerability.'] }
  const lines = bad.map(({ name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`)
  return { isWell: false, lines }
}

/** Runs `npm audit`; a report also where it ends with an error, which is how it says that it has found something. */
function ask(): Promise<AuditReport> {
  const options = ['--omit=dev', '--json', '--fetch-retries=0', `--fetch-timeout=${FETCH_TIMEOUT_MS}`]
  return new Promise(resolve => {
    execFile('npm', ['audit', ...options], { maxBuffer: REPORT_BYTES_MAX }, (error, stdout) => {
      try {
        resolve(JSON.parse(stdout) as AuditReport)
      } catch {
        resolve({ message: error?.message.split('\n')[0] ?? 'npm said nothing' })
      }
    })
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { isWell, lines } = judge(await ask())
  process.stdout.write(`${lines.join('\n')}\n`)
  process.exitCode = isWell ? 0 : 1
}
