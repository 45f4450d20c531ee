import { Link } from '@tanstack/react-router'
import { BellRing } from 'lucide-react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { everyOnFirstPage, usePages } from '../../../ui/tables/use-pages.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { callsBetween, HOUR_MS } from '../activity/activity-search.ts'
import { useNames } from '../use-names.ts'
import { type Alert, type AlertSettings, describeAlert, isOff, suggested } from './alert-labels.ts'
import { useSaving } from './alert-settings-form.tsx'

/** The alerts that were raised, newest first. */
export function AlertList({ settings }: { settings: AlertSettings | undefined }) {
  const names = useNames()
  const list = usePages(['alerts', 'list'], (query, signal) => api.listAlerts({ query, signal }), {
    refetchInterval: everyOnFirstPage(FIGURES_POLL_INTERVAL_MS),
  })
  return (
    <Card title="Newest alerts" isFlush>
      <Table
        label="Alerts"
        columns={columnsFor(names.credential)}
        rows={settings && list.data?.pages.flatMap(page => page.alerts)}
        rowKey={({ id }) => id}
        error={list.error}
        onRetry={list.refetch}
        empty={settings !== undefined && isOff(settings) ? <TurnOn /> : <NothingRaised />}
      />
      <LoadMore list={list} />
    </Card>
  )
}

function columnsFor(nameOf: (credentialId: string) => string): readonly Column<Alert>[] {
  return [
    {
      id: 'when',
      head: 'When',
      className: 'w-32',
      isExtra: true,
      cell: ({ firedAt }) => <TimeAgo iso={firedAt} />,
    },
    { id: 'what', head: 'Alert', cell: alert => <What alert={alert} nameOf={nameOf} /> },
    {
      id: 'mail',
      head: 'Email',
      className: 'w-28',
      isExtra: true,
      cell: ({ isMailed }) =>
        isMailed ? <Badge tone="good">Sent</Badge> : <span className="text-faint">Not sent</span>,
    },
  ]
}

function What({ alert, nameOf }: { alert: Alert; nameOf: (credentialId: string) => string }) {
  const { title, detail } = describeAlert(alert)
  return (
    <span className="flex flex-col gap-0.5">
      <span className="flex flex-wrap gap-x-2">
        <span className="font-medium">{title}</span>
        <span className="text-muted">{detail}</span>
      </span>
      <span className="flex flex-wrap gap-x-3 text-faint [&>a]:rounded [&>a]:text-accent [&>a:hover]:underline">
        <span className="md:hidden">
          <TimeAgo iso={alert.firedAt} />
        </span>
        <Links alert={alert} nameOf={nameOf} />
      </span>
    </span>
  )
}

function Links({ alert, nameOf }: { alert: Alert; nameOf: (credentialId: string) => string }) {
  if (alert.type === 'balance.low') return <Link to="/app/deposit">Deposit</Link>
  if (alert.type === 'failure_rate.high') {
    return (
      <Link to="/app/calls/{-$id}" search={hoursOf(alert)}>
        Calls in this hour
      </Link>
    )
  }
  const { credentialId } = alert.data
  return (
    <>
      <Link to="/app/credentials" search={{ open: credentialId }}>
        {nameOf(credentialId)}
      </Link>
      <Link to="/app/calls/{-$id}" search={{ credential: credentialId }}>
        View calls
      </Link>
    </>
  )
}

/** The whole hours that an alert's last hour touches, as the page of calls takes them. */
function hoursOf({ firedAt }: Alert) {
  const at = Date.parse(firedAt)
  return callsBetween(at - HOUR_MS, at + HOUR_MS)
}

function NothingRaised() {
  return (
    <EmptyState
      icon={<BellRing />}
      title="No alerts yet"
      action={
        <Link to="/app/credentials" className={buttonClass()}>
          Set limits of credentials
        </Link>
      }
    >
      Alerts appear here within seconds and are kept for 90 days.
    </EmptyState>
  )
}

/** Nothing is watched: turns the suggested alerts on. */
function TurnOn() {
  const turning = useSaving('Alerts are on.')
  return (
    <EmptyState
      icon={<BellRing />}
      title="Alerts are off"
      action={
        <Button variant="primary" isBusy={turning.isPending} onClick={() => turning.mutate(suggested)}>
          Turn on default alerts
        </Button>
      }
    >
      Budgets at 80 and 100%, a balance below 1 USDC, and more than 20% of at least 20 calls failing.
      <Failed error={turning.error} className="mt-3" />
    </EmptyState>
  )
}
