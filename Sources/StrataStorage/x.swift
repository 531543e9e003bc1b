import CStrata
