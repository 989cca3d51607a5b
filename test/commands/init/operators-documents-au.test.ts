import { describeSystems } from "./operator-systems.ts";

describeSystems("au");
