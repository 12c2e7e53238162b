/**
 * What decides which line is in front. `connecting`: the first dial. `open`: no probe is answered yet. `ready`: the prices
 * are current. `behind`: they may be older than `maxLag`. `silent`: no price within `maxLag` after a price of another line.
 * `waiting`: the last dial failed, or the connection is lost.
 */
export type LinePhase = 'connecting' | 'open' | 'ready' | 'behind' | 'silent' | 'waiting'

export interface LineState {
  readonly phase: LinePhase
  /** The number of topics with a current price. */
  readonly liveTopics: number
  /** The upper bound of the age of the prices, in ms; `undefined` if it is unknown. */
  readonly lagMs: number | undefined
}

/** A front in one of these phases stays in front. */
const goodPhases: ReadonlySet<LinePhase> = new Set(['open', 'ready'])

/**
 * The line that is in front from now on: the present one, unless its prices are not current and another line is ready. Only a
 * line that is ready replaces one that is connected, so that two slow lines do not alternate; a lost one is also replaced by one
 * that is open and has prices. `isPatient`: the first dial of the front may go on.
 */
export const nextFront = <L extends LineState>(lines: readonly L[], front: L, isPatient: boolean): L => {
  if (goodPhases.has(front.phase) || (isPatient && front.phase === 'connecting')) return front
  const ready = lines.filter(({ phase }) => phase === 'ready')
  const isOpen = ({ phase, liveTopics }: L): boolean => phase === 'open' && liveTopics > 0
  const candidates = ready.length === 0 && front.phase === 'waiting' ? lines.filter(isOpen) : ready
  const [first = front] = candidates
  return candidates.reduce((best, line) => (isBetter(line, best) ? line : best), first)
}

const isBetter = (line: LineState, best: LineState): boolean =>
  line.liveTopics === best.liveTopics
    ? (line.lagMs ?? 0) < (best.lagMs ?? 0)
    : line.liveTopics > best.liveTopics
