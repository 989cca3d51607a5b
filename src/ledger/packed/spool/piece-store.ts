import { openUnnamedFile, type UnnamedFile } from "../../../files/unnamed-file.ts";

/** Stores buffers by number. Keeps the first buffers in memory, and all later buffers in a private file. */
export interface PieceStore {
  /**
   * Takes ownership of the piece, and returns its number.
   * @throws Failure `storage`
   */
  readonly add: (piece: ArrayBuffer) => number;
  /**
   * Returns a piece. Callers must not change it.
   * @throws Failure `storage`
   */
  readonly read: (number: number) => ArrayBuffer;
  readonly close: () => void;
}

/** @param folder folder for the file. The file is created when the memory limit is exceeded */
export function createPieceStore(folder: string, memoryBytes: number): PieceStore {
  const pieces: (ArrayBuffer | { readonly position: number; readonly length: number })[] = [];
  let room = memoryBytes;
  let file: UnnamedFile | undefined;
  return {
    add(piece) {
      if (piece.byteLength <= room) {
        room -= piece.byteLength;
        return pieces.push(piece) - 1;
      }
      room = 0;
      file ??= openUnnamedFile(folder, "the plan of this run");
      return pieces.push({ position: file.append(new Uint8Array(piece)), length: piece.byteLength }) - 1;
    },
    read(number) {
      const piece = pieces[number];
      if (piece instanceof ArrayBuffer) return piece;
      if (piece === undefined || file === undefined) throw new Error(`There is no piece ${number}.`);
      return file.read(piece.position, piece.length);
    },
    close() {
      pieces.length = 0;
      file?.close();
      file = undefined;
    },
  };
}
