import { Segments } from '../layout/segments.tsx'
import {
  type BucketName,
  bucketLabels,
  bucketsOf,
  type Period,
  type PeriodSearch,
  periods,
  readPeriodSearch,
} from './periods.ts'

/** Chooses a period and the width of its buckets. */
export function PeriodPicker(props: { search: PeriodSearch; onChange: (next: PeriodSearch) => void }) {
  const { period = 'day', bucket } = props.search
  const buckets = bucketsOf(period)
  const change = (next: { period: Period; bucket?: BucketName }) => props.onChange(readPeriodSearch(next))
  return (
    <>
      <span className="max-w-full overflow-x-auto">
        <Segments
          label="Period"
          options={periods}
          value={period}
          onChange={value => change({ period: value })}
        />
      </span>
      {buckets.length > 1 && (
        <Segments
          label="Bucket"
          options={buckets.map(value => ({ value, label: bucketLabels[value] }))}
          value={bucket ?? buckets[0] ?? 'hour'}
          onChange={value => change({ period, bucket: value })}
        />
      )}
    </>
  )
}
