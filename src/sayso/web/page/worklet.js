// In the browser's audio thread: floats to 16-bit samples, in pieces of 20 ms.

const PIECE = 320;

class Samples extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Int16Array(PIECE);
    this.length = 0;
  }

  process([channels]) {
    for (const value of channels[0] ?? []) {
      this.piece[this.length++] = Math.round(32767 * Math.max(-1, Math.min(1, value)));
      if (this.length === PIECE) {
        this.port.postMessage(this.piece, [this.piece.buffer]);
        this.piece = new Int16Array(PIECE);
        this.length = 0;
      }
    }
    return true;
  }
}

registerProcessor('samples', Samples);
