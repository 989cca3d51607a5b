import { openUnnamedFile, type UnnamedFile } from "../../../files/unnamed-file.ts";

/** Pieces of memory, known by their numbers: the first ones stay in memory, the others lie in a private file. */
export interface PieceStore {
  /** Takes the piece over, and gives its number. @throws Failure `storage` */
  readonly add: (piece: ArrayBuffer) => number;
  /** Not to be changed. @throws Failure `storage` */
  readonly read: (number: number) => ArrayBuffer;
  readonly close: () => void;
}

/** @param folder for the file, which is made when more comes than is to stay in memory */
export function createPieceStore(folder: string, memoryBytes: number): PieceStore {
  const pieces: (ArrayBuffer | FilePiece)[] = [];
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

interface FilePiece {
  readonly position: number;
  readonly length: number;
}
