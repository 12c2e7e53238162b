import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { thresholdOf, type Threshold } from '../../view/threshold.js'
import type { WatchedToken } from '../../view/watched-token.js'
import { shortPrice } from '../../view/texts.js'
import { unknown } from '../../view/card-texts.js'
import { fromHtml, partsOf, setText } from './html.js'

/** A number, or one with groups of digits as the page shows it. `2,700` is 2700 in one country and 2.7 in another. */
const priceField = String.raw`inputmode="decimal" autocomplete="off" pattern="\d*\.?\d+|\d{1,3}(,\d{3})+\.\d+" title="A number such as 2700.5"`

const dialogHtml = `<dialog aria-labelledby="threshold-title"><form method="dialog">
  <h2 id="threshold-title"></h2>
  <p class="hint">Price: <b class="now"></b></p>
  <label>At or above, USD <input name="above" ${priceField}></label>
  <label>At or below, USD <input name="below" ${priceField}></label>
  <p class="hint">The page title shows alerts.</p>
  <p class="problem" role="alert"></p>
  <menu><button value="save">Save</button><button type="button" class="remove">Remove</button><button type="button" class="cancel">Cancel</button></menu>
</form></dialog>`

/** Asks for the threshold of a token. The browser refuses a text that is no number. */
export class ThresholdDialog {
  readonly element = fromHtml(dialogHtml) as HTMLDialogElement
  readonly #part = partsOf(this.element)
  #token: WatchedToken | undefined
  #onChosen: (threshold: Threshold | undefined) => void = () => undefined

  constructor() {
    this.#part('form').addEventListener('submit', (event) => {
      event.preventDefault()
      this.#save()
    })
    this.#part('.remove').addEventListener('click', () => this.#choose(undefined))
    this.#part('.cancel').addEventListener('click', () => this.element.close())
  }

  /** `onChosen`: called with `undefined` if the token has no threshold any more. */
  open(token: WatchedToken, onChosen: (threshold: Threshold | undefined) => void): void {
    const { above, below } = token.threshold
    this.#token = token
    this.#onChosen = onChosen
    this.render()
    setText(this.#part('h2'), `Alert for ${token.state.token.symbol}`)
    this.#part('.remove').hidden = above === undefined && below === undefined
    // The browser refuses an exponent.
    this.#input('above').value = above === undefined ? '' : plainDecimal(above)
    this.#input('below').value = below === undefined ? '' : plainDecimal(below)
    this.#showProblem('')
    this.element.showModal()
  }

  /** Shows the price, and its state unless it is current. */
  render(): void {
    if (this.#token === undefined) return
    const { price, state } = this.#token.state
    const digits = price === undefined ? unknown : shortPrice(price.price)
    setText(this.#part('.now'), `${digits} USD${state === 'live' ? '' : `, ${state}`}`)
  }

  #save(): void {
    const [above, below] = [this.#price('above'), this.#price('below')]
    const threshold = thresholdOf(above, below)
    if (threshold === undefined && (above !== undefined || below !== undefined))
      this.#showProblem('A price must be above 0, and the lower one below the upper one.')
    else this.#choose(threshold)
  }

  #choose(threshold: Threshold | undefined): void {
    this.element.close()
    this.#onChosen(threshold)
  }

  #showProblem(text: string): void {
    setText(this.#part('.problem'), text)
  }

  /** `undefined` for an empty field. */
  #price(name: string): number | undefined {
    const { value } = this.#input(name)
    return value === '' ? undefined : Number(value.replaceAll(',', ''))
  }

  #input(name: string): HTMLInputElement {
    return this.#part(`[name=${name}]`) as HTMLInputElement
  }
}
