import { useMemo } from 'react'
import { formatAmount } from '../values/amount.tsx'
import { Chart } from './chart.tsx'
import { type DayAmount, fillDays } from './days.ts'

/** A bar chart of USDC per day, up to today. */
export function DayChart(props: {
  /** Name of the series, such as `Earned`. */
  name: string
  amounts: readonly DayAmount[]
  days: number
  /** In pixels. */
  height: number
}) {
  const { name, amounts, days, height } = props
  const { times, series, total } = useMemo(() => {
    const { times, values } = fillDays(amounts, days, Date.now())
    const total = values.reduce((sum, value) => sum + value, 0)
    return { times, total, series: [{ label: name, values }] }
  }, [name, amounts, days])
  return (
    <Chart
      label={`${name} by day, ${formatValue(total)} in ${days} days`}
      kind="bars"
      height={height}
      times={times}
      series={series}
      format={formatValue}
    />
  )
}

const formatValue = (value: number) =>
  `${formatAmount(value.toFixed(value !== 0 && value < 0.1 ? 4 : 2))} USDC`
