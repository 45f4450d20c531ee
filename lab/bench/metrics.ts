import type { BenchGateway } from './site.ts'

/** Runs of a job that were done, and when the last of them was, in ms since 1970. */
export type JobRuns = { readonly runs: number; readonly doneAtMs: number }

const DONE_AT = /^farebox_job_done_timestamp_seconds\{name="([^"]+)"\} (\S+)$/gm

/** The metrics of a gateway, in Prometheus' text format. */
export async function readMetrics({ url, metricsToken }: BenchGateway): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status} ${text.slice(0, 200)}`)
  return text
}

/** The runs that each job of a gateway has had. */
export async function readJobRuns(gateway: BenchGateway): Promise<Map<string, JobRuns>> {
  const text = await readMetrics(gateway)
  return new Map(
    [...text.matchAll(DONE_AT)].map(([, name = '', seconds]) => {
      const runs = new RegExp(`^farebox_job_runs_total\\{name="${name}",outcome="done"\\} (\\S+)$`, 'm').exec(
        text,
      )
      return [name, { runs: Number(runs?.[1] ?? 0), doneAtMs: 1_000 * Number(seconds) }]
    }),
  )
}
