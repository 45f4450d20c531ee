/** Runs of a job that were done, and when the last of them was, in ms since 1970. */
export type JobRuns = { readonly runs: number; readonly doneAtMs: number }

const DONE_AT = /^farebox_job_done_timestamp_seconds\{name="([^"]+)"\} (\S+)$/gm

/** Reads from the metrics of a gateway, by job, what runs it has had. */
export async function readJobRuns(url: string, token: string): Promise<Map<string, JobRuns>> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status} ${text.slice(0, 200)}`)
  return new Map(
    [...text.matchAll(DONE_AT)].map(([, name = '', seconds]) => {
      const runs = new RegExp(`^farebox_job_runs_total\\{name="${name}",outcome="done"\\} (\\S+)$`, 'm').exec(
        text,
      )
      return [name, { runs: Number(runs?.[1] ?? 0), doneAtMs: 1_000 * Number(seconds) }]
    }),
  )
}
