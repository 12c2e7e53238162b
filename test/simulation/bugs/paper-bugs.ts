import type { Bug } from './bugs.js'

const folder = 'src/backtest/account'

/** Bugs of the account on paper. */
export const paperBugs: readonly Bug[] = [
  ...(['the service', 'a gateway'] as const).map((source): Bug => ({
    name: `an order of a client of ${source} is filled at a price that is no longer current`,
    folder,
    shares: { webSocket: source === 'a gateway' ? 1 : 0 },
    edits: [
      {
        in: 'TokenState.onPrice',
        code: 'this.price = isLeft(event) ? undefined : event.right',
        bug: 'if (!isLeft(event)) this.price = event.right',
      },
    ],
  })),
  {
    name: 'an order of a timer is filled after a pause before the prices are read',
    folder,
    edits: [{ in: 'OrderGate.onOrder', code: 'isInformed || !isSilent', bug: 'true' }],
  },
]
