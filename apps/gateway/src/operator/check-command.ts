import { Command } from 'commander'
import type { Finding } from '../preflight/check.ts'
import { checkEverything } from '../preflight/check-everything.ts'

const MARKS = { ok: 'ok', warning: 'warning', failed: 'NOT OK' } as const

/** `farebox check`. Exits 1 if a check failed; warnings do not count. */
export const checkCommand = (print: (text: string) => void): Command =>
  new Command('check')
    .description('Check every setting of production against database, chain, vault, mail and machine.')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const findings = await checkEverything(process.env)
      const isOk = findings.every(({ status }) => status !== 'failed')
      print(json ? JSON.stringify({ ok: isOk, checks: findings }, null, 2) : tableOf(findings))
      if (!isOk) process.exitCode = 1
    })

/** Returns the findings as a table, and what they add up to. */
function tableOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const rows = findings.flatMap(({ check, status, found, advice }) => [
    `${MARKS[status].padEnd(8)} ${check.padEnd(width)}  ${found}`,
    ...(advice === undefined ? [] : [`${''.padEnd(9 + width)}  -> ${advice}`]),
  ])
  return [...rows, '', summaryOf(findings)].join('\n')
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (status: Finding['status']) => findings.filter(finding => finding.status === status).length
  const isRefused = findings.some(({ status, guardsMoney }) => status === 'failed' && guardsMoney)
  const sums = `${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} not ok.`
  return isRefused ? `${sums} A gateway with these settings does not start.` : sums
}
