#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Writes a widget's template for GTK 3 from the one for GTK 4: make-ui.py GTK-4-FILE GTK-3-FILE."""

import sys
import xml.etree.ElementTree as ET

CLASSES = {'GtkCenterBox': 'GtkBox', 'GtkDropDown': 'GtkComboBoxText'}
NO_WIDGETS = ('AtkObject', 'GtkAdjustment')


def set_property(element, name, text, **attributes):
    ET.SubElement(element, 'property', name=name, **attributes).text = text


def take(element, name):
    """The property, which is no more in the element."""
    found = element.find(f'property[@name="{name}"]')
    if found is not None:
        element.remove(found)
    return found


def convert_accessibility(element):
    found = element.find('accessibility')
    if found is None:
        return
    label = take(found, 'label')
    if label is not None:
        element.remove(found)
        atk = ET.SubElement(ET.SubElement(element, 'child', {'internal-child': 'accessible'}), 'object',
                            {'class': 'AtkObject'})
        set_property(atk, 'accessible-name', label.text, translatable='yes')
    for relation in found.findall('relation'):
        relation.attrib = {'type': relation.get('name'), 'target': relation.text}
        relation.text = None


def convert_object(element, interface):
    kind = element.get('class')
    icon, focusable, adjustment = take(element, 'icon-name'), take(element, 'focusable'), take(element, 'adjustment')
    if icon is not None:
        image = ET.SubElement(ET.SubElement(element, 'child'), 'object', {'class': 'GtkImage'})
        set_property(image, 'icon-name', icon.text)
        set_property(image, 'visible', 'true')
    if focusable is not None:
        set_property(element, 'can-focus', focusable.text)
    if adjustment is not None:
        number = adjustment.find('object')
        number.set('id', element.get('id') + '_adjustment')
        interface.append(number)
        set_property(element, 'adjustment', number.get('id'))
    for content in element.findall('property[@name="child"]'):
        content.tag, content.attrib = 'child', {}
    if kind == 'GtkDropDown':
        element.find('signal[@name="notify::selected"]').set('name', 'changed')
    convert_accessibility(element)
    if kind not in NO_WIDGETS and element.find('property[@name="visible"]') is None:
        set_property(element, 'visible', 'true')
    element.set('class', CLASSES.get(kind, kind))


def convert_child(child):
    """What GTK 3 says of a child beside its object."""
    page = child.find('object[@class="GtkStackPage"]')
    if page is not None:
        child.remove(page)
        child.append(page.find('child/object'))
        packing = ET.SubElement(child, 'packing')
        packing.extend(p for p in page.findall('property') if p.get('name') != 'visible')
    if child.get('type') == 'end':
        del child.attrib['type']
        set_property(ET.SubElement(child, 'packing'), 'pack-type', 'end')


def main():
    tree = ET.parse(sys.argv[1])
    interface = tree.getroot()
    for element in list(interface.iter('object')) + list(interface.iter('template')):
        convert_object(element, interface)
    for child in list(interface.iter('child')):
        convert_child(child)
    # A property must stand before the children.
    for element in list(interface.iter('object')) + list(interface.iter('template')):
        element[:] = sorted(element, key=lambda part: part.tag != 'property')
    tree.write(sys.argv[2], encoding='UTF-8', xml_declaration=True)


if __name__ == '__main__':
    main()
