import {
  Activity,
  ArrowDownToLine,
  ArrowUpFromLine,
  BadgeCheck,
  BellRing,
  ChartColumn,
  ChartLine,
  Gauge,
  HeartPulse,
  KeyRound,
  LayoutDashboard,
  LifeBuoy,
  LockKeyhole,
  MessagesSquare,
  Receipt,
  Scale,
  ScrollText,
  ShieldAlert,
  Store,
  Ticket,
  User,
  Webhook,
} from 'lucide-react'
import type { ReactNode } from 'react'

/** A page of an area, as listed in its sidebar. */
export type Place = { readonly to: string; readonly label: string; readonly icon: ReactNode }

const ownerPlaces: readonly Place[] = [
  { to: '/app', label: 'Overview', icon: <LayoutDashboard aria-hidden /> },
  { to: '/app/deposit', label: 'Deposit', icon: <ArrowDownToLine aria-hidden /> },
  { to: '/app/credentials', label: 'Credentials', icon: <KeyRound aria-hidden /> },
  { to: '/app/activity', label: 'Activity', icon: <ChartColumn aria-hidden /> },
  { to: '/app/calls', label: 'Calls', icon: <Activity aria-hidden /> },
  { to: '/app/ledger', label: 'Ledger', icon: <ScrollText aria-hidden /> },
  { to: '/app/policy', label: 'Spending policy', icon: <Gauge aria-hidden /> },
  { to: '/app/alerts', label: 'Alerts', icon: <BellRing aria-hidden /> },
  { to: '/app/webhooks', label: 'Webhooks', icon: <Webhook aria-hidden /> },
  { to: '/app/proof', label: 'Proof of balance', icon: <BadgeCheck aria-hidden /> },
  { to: '/app/profile', label: 'Profile', icon: <User aria-hidden /> },
]
const providerPlaces: readonly Place[] = [
  { to: '/provider', label: 'Services', icon: <Store aria-hidden /> },
  { to: '/provider/traffic', label: 'Traffic', icon: <ChartColumn aria-hidden /> },
  { to: '/provider/earnings', label: 'Earnings', icon: <ChartLine aria-hidden /> },
  { to: '/provider/withdraw', label: 'Withdraw', icon: <ArrowUpFromLine aria-hidden /> },
  { to: '/provider/usage', label: 'Late usage', icon: <Receipt aria-hidden /> },
  { to: '/provider/secrets', label: 'Secrets', icon: <LockKeyhole aria-hidden /> },
]
const adminPlaces: readonly Place[] = [
  { to: '/admin', label: 'Review queue', icon: <Scale aria-hidden /> },
  { to: '/admin/support', label: 'Support tasks', icon: <LifeBuoy aria-hidden /> },
  { to: '/admin/forum', label: 'Forum', icon: <MessagesSquare aria-hidden /> },
  { to: '/admin/suspension', label: 'Suspension', icon: <ShieldAlert aria-hidden /> },
  { to: '/admin/vouchers', label: 'Vouchers', icon: <Ticket aria-hidden /> },
  { to: '/admin/reconcile', label: 'Reconcile', icon: <BadgeCheck aria-hidden /> },
  { to: '/admin/health', label: 'Fees and health', icon: <HeartPulse aria-hidden /> },
  { to: '/admin/audit', label: 'Audit log', icon: <ScrollText aria-hidden /> },
]

/** The pages of each area, as listed in its sidebar. */
export const areaPlaces = {
  Account: ownerPlaces,
  Provider: providerPlaces,
  Admin: adminPlaces,
} as const
