import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { AlertList } from './alert-list.tsx'
import { AlertSettingsForm } from './alert-settings-form.tsx'

/** Alert settings of a wallet, and its newest alerts. */
export function AlertsPage() {
  const settings = useQuery({
    queryKey: ['alerts', 'settings'],
    queryFn: ({ signal }) => api.readAlertSettings({ signal }),
  })
  const known = settings.data?.settings
  return (
    <>
      <PageHead
        title="Alerts"
        description="Get notified within seconds, once per event, when a budget runs out, the balance is low or calls fail."
      />
      {settings.error !== null && known === undefined ? (
        <Card>
          <ErrorState error={settings.error} onRetry={settings.refetch} />
        </Card>
      ) : (
        <div className="flex flex-col gap-5">
          <Card title="Settings">
            {known === undefined ? (
              <Skeleton className="h-80 max-md:h-[34rem]" />
            ) : (
              <AlertSettingsForm settings={known} />
            )}
          </Card>
          <AlertList settings={known} />
        </div>
      )}
    </>
  )
}
