import { ranges } from '../model/samples.js'
import { thresholdText } from '../model/threshold.js'
import type { View } from '../model/view.js'
import type { WatchedToken } from '../model/watched-token.js'
import { partsOf, setAttribute, setText } from './html.js'

/** What a person does with a token. */
export interface TokenActions {
  readonly onPin: (token: WatchedToken) => void
  readonly onThreshold: (token: WatchedToken) => void
}

/** A card or a row of one token, with the buttons that pin it and set its threshold. Renders only what has changed. */
export abstract class TokenElement {
  protected readonly part: (selector: string) => HTMLElement
  #isValid = false

  constructor(
    readonly element: HTMLElement,
    protected readonly token: WatchedToken,
    { onPin, onThreshold }: TokenActions,
  ) {
    this.part = partsOf(element)
    element.dataset['token'] = token.address
    const pin = this.part('.pin')
    pin.setAttribute('aria-label', `Pin ${token.state.token.symbol}`)
    pin.addEventListener('click', () => onPin(token))
    this.part('.threshold').addEventListener('click', () => onThreshold(token))
  }

  protected field(name: string): HTMLElement {
    return this.part(`[data-field=${name}]`)
  }

  /** Something has changed, or the time that the element shows has passed. */
  invalidate(): void {
    this.#isValid = false
  }

  /** Renders if something has changed. `now`: in ms since the Unix epoch. */
  render(now: number, { pins, range }: View): void {
    setAttribute(this.part('.pin'), 'aria-pressed', String(pins.includes(this.token.address)))
    if (this.#isValid) return
    this.#isValid = true
    const { state, reached } = this.token
    setAttribute(this.element, 'data-state', state.state)
    setAttribute(this.element, 'data-known', String(state.price !== undefined))
    setAttribute(this.element, 'data-reached', String(reached !== undefined))
    this.#renderThreshold()
    this.renderToken(now, ranges[range])
  }

  /** `rangeMs`: the time that the view is of. */
  protected abstract renderToken(now: number, rangeMs: number): void

  /** The text of the button is the threshold, and whether it is reached. */
  #renderThreshold(): void {
    const { state, threshold, reached } = this.token
    const levels = thresholdText(threshold)
    const text =
      reached === undefined ? levels : `${thresholdText({ [reached.side]: reached.threshold })} reached`
    const button = this.part('.threshold')
    setText(button, levels === '' ? 'Alert' : text)
    setAttribute(button, 'data-set', String(levels !== ''))
    setAttribute(button, 'aria-label', `Alert for ${state.token.symbol}${levels === '' ? '' : `: ${text}`}`)
  }
}
