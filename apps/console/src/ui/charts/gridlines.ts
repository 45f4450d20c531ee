/** Most intervals between the gridlines of values that are not negative. */
const INTERVALS_MAX = 4
const WHOLE_STEPS = [1, 2, 5, 10]
const STEPS = [1, 2, 2.5, 5, 10]
/** Digits that hide the rounding of binary fractions. */
const DIGITS = 12

/** Returns round gridlines that enclose zero and the values from `low` to `high`. */
export function gridlinesOf(low: number, high: number, isWhole: boolean): number[] {
  const [from, most] = [Math.min(0, low), Math.max(0, high)]
  const to = most === from ? from + 1 : most
  const least = Math.max((to - from) / INTERVALS_MAX, isWhole ? 1 : 0)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = power * ((isWhole ? WHOLE_STEPS : STEPS).find(each => each * power >= least) ?? 10)
  const [first, last] = [Math.floor(from / step), Math.ceil(to / step)]
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(DIGITS)),
  )
}
