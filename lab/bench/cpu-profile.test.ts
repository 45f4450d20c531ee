import { expect, test } from 'vitest'
import { summarise } from './cpu-profile.ts'

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
})

const profile = {
  startTime: 1_000,
  nodes: [
    node(1, '(root)', '', [2, 5]),
    node(2, 'handle', 'file:///x/apps/gateway/src/routes.ts', [3]),
    node(3, 'query', 'file:///x/node_modules/pg/lib/client.js', [4]),
    node(4, 'handle', 'file:///x/apps/gateway/src/routes.ts'),
    node(5, '(idle)', ''),
  ],
  samples: [2, 3, 4, 5, 3],
  // A sample stands for the time until the next; the last one has no next.
  timeDeltas: [0, 10, 20, 30, 40],
}

test('time counts once for a function that is on the stack twice, and idle time is no share', () => {
  const summary = summarise(profile, { from: 0, to: 10_000 })
  const handle = summary.byTotal.find(share => share.name === 'handle apps/gateway/src/routes.ts:10')
  expect(handle).toMatchObject({ self: 40 / 60, total: 1 })
  expect(summary.bySelf.find(share => share.name === 'query pg/lib/client.js:10')?.self).toBe(20 / 60)
  expect(summary.byPackage.map(share => share.name)).toEqual(['farebox', 'pg'])
  expect(summary.busy).toBe(0.6)
})

test('samples outside of the stretch do not count', () => {
  const summary = summarise(profile, { from: 1_010, to: 1_030 })
  expect(summary.bySelf).toEqual([{ name: 'query pg/lib/client.js:10', self: 1, total: 1 }])
})
