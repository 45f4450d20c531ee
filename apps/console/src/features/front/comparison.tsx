const columns = ['A key for each provider', 'An LLM router', 'Farebox'] as const
const rows = [
  ['Calls', 'One provider', 'Models', 'Models and any HTTP API'],
  ['Agent sign-up', 'By a person at each provider', 'By a person, once', 'By a wallet; not needed with x402'],
  [
    'Limits',
    'Whatever each provider offers',
    'A prepaid balance',
    'Budget, rate and services for each credential, checked before each call',
  ],
  ['Lost connection', 'Often charged again', 'Often charged again', 'Same key, same answer, one charge'],
  [
    'Selling your API',
    'Build accounts and billing',
    'By contract',
    'Register a URL; earnings after each call',
  ],
  ['Custody', 'Each provider', 'The router', 'A contract, with a proof of each balance'],
] as const

/** How calls are usually paid, beside this gateway. */
export function Comparison() {
  return (
    <section aria-labelledby="compared">
      <h2 id="compared" className="text-lg font-semibold">
        How it compares
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="mt-4 overflow-x-auto rounded-lg border bg-raised max-sm:hidden" tabIndex={0}>
        <table aria-labelledby="compared" className="w-full min-w-160 table-fixed text-sm">
          <thead>
            <tr className="bg-subtle text-left">
              <td className="w-36 border-b" />
              {columns.map(column => (
                <th key={column} scope="col" className="border-b px-4 py-2.5 font-medium last:text-accent">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="[&>tr:last-child>*]:border-b-0">
            {rows.map(([head, ...cells]) => (
              <tr key={head} className="align-top">
                <th scope="row" className="border-b px-4 py-2.5 text-left font-normal text-muted">
                  {head}
                </th>
                {cells.map((cell, index) => (
                  <td key={columns[index]} className="border-b px-4 py-2.5 text-muted last:text-text">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl className="mt-4 flex flex-col gap-3 sm:hidden">
        {rows.map(([head, key, router, here]) => (
          <div key={head} className="border-t pt-3">
            <dt className="text-sm text-muted">{head}</dt>
            <dd className="mt-0.5">{here}</dd>
            <dd className="mt-0.5 text-sm text-muted">
              {columns[0]}: {key}. {columns[1]}: {router}.
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
