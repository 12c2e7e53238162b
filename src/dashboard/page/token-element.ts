import { formatSeconds, shortAmount, shortPrice } from '../../view/texts.js'
import { ranges } from '../../view/samples.js'
import { thresholdText } from '../../view/threshold.js'
import type { View } from '../../view/view.js'
import type { Figures, WatchedToken } from '../../view/watched-token.js'
import { changeOf, depthReason, unknown } from '../../view/card-texts.js'
import { partsOf, setAttribute, setDigits, setText } from './html.js'

/** What a person does with a token. */
export interface TokenActions {
  readonly onPin: (token: WatchedToken) => void
  readonly onThreshold: (token: WatchedToken) => void
}

/** The last digits of a price, which change with each price. */
const minorDigits = 2

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
    pin.title = 'Pin'
    this.part('.threshold').title = 'Alert'
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
    const isPinned = pins.includes(this.token.address)
    setAttribute(this.part('.pin'), 'aria-pressed', String(isPinned))
    setText(this.part('.pin'), isPinned ? 'Pinned' : '')
    if (this.#isValid) return
    this.#isValid = true
    const { state, reached } = this.token
    setAttribute(this.element, 'data-state', state.state)
    setAttribute(this.element, 'data-known', String(state.price !== undefined))
    setAttribute(this.element, 'data-reached', String(reached !== undefined))
    this.#renderThreshold()
    const figures = this.token.figures(now, ranges[range])
    this.#renderFigures(figures)
    this.#renderDepth(now)
    this.renderToken(figures, now, ranges[range])
  }

  /** Renders what only a card, or only a row, shows. `rangeMs`: the time that the view is of. */
  protected abstract renderToken(figures: Figures, now: number, rangeMs: number): void

  protected setNumber(
    name: string,
    value: number | undefined,
    digitsOf: (value: number) => string,
    minor?: number,
  ): void {
    if (value === undefined) setText(this.field(name), unknown)
    else setDigits(this.field(name), digitsOf(value), minor)
  }

  #renderFigures({ state, price, age, change }: Figures): void {
    setText(this.field('state'), state)
    this.setNumber('price', price, shortPrice, minorDigits)
    setText(this.field('age'), age === undefined ? unknown : formatSeconds(age))
    const changed = change === undefined ? undefined : changeOf(change)
    setText(this.field('change'), changed?.text ?? unknown)
    setAttribute(this.field('change'), 'data-direction', changed?.direction ?? '')
  }

  /** What can be bought or sold at the midpoint, or why that is not known. */
  #renderDepth(now: number): void {
    const { depth, depthError } = this.token.state
    setAttribute(this.element, 'data-depth', String(this.token.isDepthCurrent(now) === true))
    for (const name of ['buy', 'sell'] as const) {
      this.field(name).title = depthError?.message ?? ''
      if (depthError !== undefined) setText(this.field(name), depthReason(depthError))
      else this.setNumber(name, depth?.[name].totalQuantityUsd, shortAmount)
    }
  }

  /** The text of the button is the threshold, and whether it is reached. */
  #renderThreshold(): void {
    const { state, threshold, reached } = this.token
    const levels = thresholdText(threshold)
    const text =
      reached === undefined ? levels : `${thresholdText({ [reached.side]: reached.threshold })} reached`
    const button = this.part('.threshold')
    setText(button, text)
    setAttribute(button, 'data-set', String(levels !== ''))
    setAttribute(button, 'aria-label', `Alert for ${state.token.symbol}${levels === '' ? '' : `: ${text}`}`)
  }
}
