import { describe, expect, test } from 'vitest'
import {
  formatSpan,
  type Health,
  judgeChain,
  judgeJobs,
  judgePartitions,
  judgeQueue,
  sortJobs,
} from '../src/features/admin/health-verdicts.ts'

type Job = Health['jobs'][number]

const ASOF = '2026-03-01T12:00:00.000Z'
const at = (seconds: number) => new Date(Date.parse(ASOF) + seconds * 1_000).toISOString()
const job = (name: string, state: Partial<Job> = {}): Job => ({
  name,
  intervalSeconds: 60,
  runs: 3,
  failures: 0,
  lastStartedAt: at(-30),
  lastRunMs: 5,
  lastOutcome: 'done',
  lastDoneAt: at(-30),
  nextRunAt: at(30),
  ...state,
})
const health = (parts: Partial<Health>): Health => ({
  status: 'success',
  asOf: ASOF,
  fees: { accruedUsdc: '0.000000', lockedUsdc: '0.000000', lossesUsdc: '0.000000', payableUsdc: '0.000000' },
  jobs: [],
  queue: { ready: 0, scheduled: 0, running: 0, givenUp: 0 },
  blocksBehind: 2,
  endpoints: [],
  partitions: [],
  ...parts,
})

describe('jobs', () => {
  const jobs = [
    job('b-well'),
    job('failed-before', { failures: 2 }),
    job('failing', { lastOutcome: 'failed', failures: 1 }),
    job('late', { nextRunAt: at(-61) }),
    job('a-well', { nextRunAt: at(-59) }),
    job('hanging', { nextRunAt: null, lastStartedAt: at(-301) }),
    job('working', { nextRunAt: null, lastStartedAt: at(-299) }),
  ]

  test('are listed by urgency: late, unfinished, failing, failed before, then by name', () => {
    expect(sortJobs(health({ jobs })).map(({ name }) => name)).toEqual([
      'late',
      'hanging',
      'failing',
      'failed-before',
      'a-well',
      'b-well',
      'working',
    ])
  })

  test('are named in the verdict if they need attention, up to three', () => {
    expect(judgeJobs(health({ jobs }))).toEqual({
      isWell: false,
      text: 'late is late, hanging has not finished, failing failed.',
    })
    const failing = ['a', 'b', 'c', 'd', 'e'].map(name => job(name, { lastOutcome: 'failed' }))
    expect(judgeJobs(health({ jobs: failing })).text).toBe('a failed, b failed, c failed, and 2 more.')
  })

  test('are well if none is late, unfinished or failing', () => {
    const well = jobs.filter(({ name }) => !['late', 'hanging', 'failing'].includes(name))
    expect(judgeJobs(health({ jobs: well }))).toEqual({
      isWell: true,
      text: 'All 4 jobs are on time, and none failed in its last run.',
    })
  })
})

test('the queue needs attention once a job was given up', () => {
  const queue = { ready: 1, scheduled: 0, running: 0, givenUp: 0 }
  expect(judgeQueue(health({}))).toEqual({ isWell: true, text: 'The queue is empty.' })
  expect(judgeQueue(health({ queue }))).toEqual({ isWell: true, text: '1 job in the queue.' })
  expect(judgeQueue(health({ queue: { ...queue, givenUp: 2 } }))).toEqual({
    isWell: false,
    text: "2 jobs failed after all retries. See the gateway's log.",
  })
})

test('the chain needs attention while it cannot be read or deposits are late; rejected responses are a note', () => {
  const endpoint = { host: 'a.example', block: 7, failed: 1, differed: 0, wasBehind: 0 }
  expect(judgeChain(health({ blocksBehind: 200 }))).toEqual({
    isWell: true,
    text: 'Deposits are read on time.',
  })
  expect(judgeChain(health({ endpoints: [endpoint] }))).toEqual({
    isWell: true,
    text: 'Deposits are read on time. Responses of one endpoint were rejected.',
  })
  expect(judgeChain(health({ blocksBehind: 201 })).isWell).toBe(false)
  expect(judgeChain(health({ blocksBehind: null })).isWell).toBe(false)
})

test('partitions need attention if more rows wait than a second of calls', () => {
  const partitions = (behind: number) => [
    { partition: 0, rows: 90_000, behind },
    { partition: 1, rows: 1, behind: 0 },
  ]
  expect(judgePartitions(health({ partitions: partitions(10_000) })).isWell).toBe(true)
  expect(judgePartitions(health({ partitions: partitions(10_001) }))).toEqual({
    isWell: false,
    text: '10,001 rows in 1 of 2 partitions are not in the tables yet.',
  })
})

test('spans are in seconds up to two minutes, then in minutes, then in hours', () => {
  expect([400, 119_000, 120_000, 7_100_000, 7_200_000].map(formatSpan)).toEqual([
    '0 s',
    '119 s',
    '2 min',
    '118 min',
    '2 h',
  ])
})
