/**
 * Loaded into a gateway before its first module: lets the laboratory move its wall clock, as an operator or a time
 * server does. Timers and `performance.now()` go by the monotonic clock, which no such move touches. `CLOCK_AHEAD_MS` says
 * how far it is ahead at the start.
 */
let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? '0')
const real = Date
const now = () => real.now() + aheadMs

globalThis.Date = new Proxy(real, {
  construct: (target, values: unknown[], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  apply: () => new real(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

process.on('message', message => {
  if (typeof message === 'number') aheadMs = message
})
process.channel?.unref()
